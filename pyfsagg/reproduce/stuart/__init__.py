"""What the Stuart column of thesis tables 4.5 and 4.6 measured."""
