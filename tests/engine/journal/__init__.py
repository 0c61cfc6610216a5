"""What is written before it is sent: nothing promised is lost, damage is noticed, and a restart knows what was open."""
