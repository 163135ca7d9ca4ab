package realpath

import (
	"errors"
	"os"
	"syscall"
)

// noFollowAny is O_NOFOLLOW_ANY: opening fails if any name in the path is a link.
const noFollowAny = 0x20000000

// pin returns a handle on the file of any kind at real, reached without following a link.
func pin(real string) (*os.File, error) {
	if err := refuseSpecial(real); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|Nonblock|noFollowAny, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, movedError(real)
	}
	return f, err
}
