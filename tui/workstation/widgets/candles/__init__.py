"""Candle chart in character cells: bars, levels, curves and a crosshair drawn as lines of styled text.

Nothing of the workstation is used here: inputs are plain numbers, outputs are runs of text and role.
"""
