//go:build !linux

package atomicfile_test

import "errors"

func becomeNobody() error { return errors.ErrUnsupported }
