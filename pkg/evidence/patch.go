package evidence

// CheckPatch tells whether a suggested patch applies to the files as they are now.
func CheckPatch(patch, path string, files Files) bool { return false }
