package walk

// A globToken is a part of a glob.
type globToken struct {
	op           tokenOp
	text         string        // of opText
	set          *byteSet      // of opSet
	alternatives [][]globToken // of opEither
}

// tokenOp is what a token of a glob stands for.
type tokenOp byte

const (
	opText         tokenOp = iota // itself
	opOne                         // ?: a byte but a slash
	opStar                        // *: bytes but slashes
	opSet                         // [...]: a byte of a set
	opPrefix                      // **/ at the beginning: nothing, or anything that a slash ends
	opMiddle                      // /**/: a slash, or anything between two
	opSuffix                      // /** at the end: a slash and anything
	opAlternatives                // {...}: one of several
)
