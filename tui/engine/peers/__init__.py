"""What programs of other processes may do: orders that they propose, and mandates within which they send."""
