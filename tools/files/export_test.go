package files

// ReadLimits are smaller limits for tests.
type ReadLimits = readLimits

// With returns o with other limits.
func (o ReadOptions) With(l ReadLimits) ReadOptions {
	o.limits = l
	return o
}

// WithLineLength returns o with another limit of characters in a line.
func (o GrepOptions) WithLineLength(n int) GrepOptions {
	o.lineLength = n
	return o
}
