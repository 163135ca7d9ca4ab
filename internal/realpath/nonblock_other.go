//go:build !unix

package realpath

// Nonblock is empty where named pipes are not files.
const Nonblock = 0
