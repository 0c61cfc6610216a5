"""Chart of one pair: the drawn candles, and the widget around them."""
