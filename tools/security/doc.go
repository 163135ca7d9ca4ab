// Package security holds only tests: the tools and the engine against the
// permission corpus, of which testdata has our own part.
package security
