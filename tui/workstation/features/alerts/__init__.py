"""Alerts: conditions on prices, risk and connections, which the desk watches and tells when they come true."""
