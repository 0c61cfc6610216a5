"""Published figures: what the campaign came to, the gates that it must pass, and the table of the README made from them."""
