"""What every part may use: errors, files, progress, ragged arrays, metrics, the machine."""
