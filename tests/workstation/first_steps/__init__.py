"""The first ten minutes: welcome, the form that connects a service, and the tour played by keys."""
