package walk

// A globToken is a part of a glob.
type globToken struct {
	op           tokenOp
	text         string        // of opText
	set          *byteSet      // of opSet
	alternatives [][]globToken // of opEither
}

// A tokenOp says what a globToken matches.
type tokenOp byte

const (
	opText         tokenOp = iota // the text itself
	opOne                         // ?: any byte except a slash
	opStar                        // *: any bytes except slashes
	opSet                         // [...]: a byte of the set
	opPrefix                      // **/ at the start: nothing, or any text that ends with a slash
	opMiddle                      // /**/: a slash, or any text between two slashes
	opSuffix                      // /** at the end: a slash and any text
	opAlternatives                // {...}: one of the alternatives
)
