"""What is pressed is meant: keys, bursts, the mouse, the palette, and what a key says where it means nothing."""
