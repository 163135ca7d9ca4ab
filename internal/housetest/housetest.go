// Package housetest tests the source tree: the rules of its structure, and that its documents
// agree with the code.
package housetest
