"""Settings and files of coding clients, and the folders of our plugin."""
