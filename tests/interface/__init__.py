"""The language of both sides: catalogue, records, texts, decimals, symbols."""
