//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package spool

import (
	"errors"
	"os"
)

// dontWait is not known here.
const dontWait = 0

// tryLock tells nothing: the system has no lock that ends with its holder.
func tryLock(*os.File, bool) (free bool, err error) { return false, errors.ErrUnsupported }

func release(*os.File) {}
