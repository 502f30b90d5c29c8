"""What a prediction rests on: of arrays and a function that predicts, knowing no method."""
