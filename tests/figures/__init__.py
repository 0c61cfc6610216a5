"""Published figures: what the campaign came to, the gates that it must pass, and the tables made from them."""
