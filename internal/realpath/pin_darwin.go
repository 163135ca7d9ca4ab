package realpath

import (
	"errors"
	"os"
	"syscall"
)

// noFollowAny makes opening fail if any name on the way is a link.
const noFollowAny = 0x20000000

// pin returns a handle on what is at real, reached without following a link.
func pin(real string) (*os.File, error) {
	if err := lookFirst(real); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|Nonblock|noFollowAny, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, moved(real)
	}
	return f, err
}
