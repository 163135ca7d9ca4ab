//go:build !(darwin || linux)

package audit_test

import "errors"

func fillDisk(string) error { return errors.ErrUnsupported }
