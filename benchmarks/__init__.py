"""Measurements of crossdesk, run by `crossdesk bench` in a source checkout."""

BENCHMARKS = {
    "attached": "A desk on the engine of a gateway beside one with its own: tick, Enter to wire, processor.",
    "bus": "Desks of several traders on a gateway over a NATS server: tick, processor of gateway and desks.",
    "chart": "A chart of candles, drawn whole and after one price, beside plotext.",
    "decode": "A quote from its bytes to its record, beside other decoders.",
    "goals": "What was reached beside what is aimed at; --write puts it into the documents.",
    "journal": "An intent through the engine, stage by stage, beside a bare append with fdatasync.",
    "memory": "The workstation with 500 pairs and 1,000 orders, a venue a day later, a journal of 100,000 records.",
    "order": "From Enter on the preview to the order on the wire, beside a bare append with fdatasync.",
    "real": "A minute of trading under 100,000 quotes a second; then journal, screen and venue must agree.",
    "screen": "What the screen costs and how late it is, at up to 100,000 quotes a second, in a real terminal.",
    "start": "First text and first live quote, beside a bare Textual app and other programs.",
    "stream": "A flood of quotes from the socket to the table, beside bare receive loops.",
    "tape": "The synthetic market beside a recorded one: rates, gaps, sizes, moves.",
    "venue": "Commands a second that a paper venue answers, and pushes a second to several clients.",
}
"""Module of this folder with a click command called `command`, and its line of help."""
