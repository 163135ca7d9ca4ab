// Package housetest tests the source tree: the rules of its structure, and that its documents
// say what the code does.
package housetest
