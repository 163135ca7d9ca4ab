//go:build !linux

package languageserver

import "io/fs"

// notices of changes are not taken here: none never reports that there was no change.
type notices struct{}

func (*notices) open(string) {}

func (*notices) watch(string, fs.FileInfo, int) {}

func (*notices) none() bool { return false }

func (*notices) close() {}

func hasOtherNames(fs.FileInfo) bool { return false } // it matters for none only
