// Package mounts gives tests file systems of their own, such as a small one that gets full. Only
// tests import it, on Linux.
package mounts
