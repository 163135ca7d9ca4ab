//go:build !unix

package realpath

// Nonblock is 0 where named pipes are not files.
const Nonblock = 0
