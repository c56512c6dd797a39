"""The frames of each dialect."""
