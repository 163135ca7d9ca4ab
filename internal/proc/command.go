package proc

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"
)

// A Command describes a program to run. Args and Dir are required.
type Command struct {
	Args []string // Args[0] is looked up as os/exec does
	Dir  string   // absolute
	Env  []string // nil means Quiet of this process's environment

	// Stdin connects the child's standard input to [Process.Stdin]. If it is false, the
	// child reads the null device, which ends at once.
	Stdin bool

	// Hold are files that stay open in the child and its descendants. A lock on one of them
	// lasts while these run, even after the end of this process. On Windows they are not passed on.
	Hold []*os.File

	// Grace is the time between asking the group to end and killing it; 0 means 500 ms.
	// It ends early when the child has ended and its output is closed. On Windows there
	// is no grace.
	Grace time.Duration
	// Drain is how long the output may stay open after the child has ended, before the
	// rest of the group is killed, and then how long until it is closed; 0 means 2 s.
	Drain time.Duration

	// Unlisted leaves [Exit].Ended empty. The processes that the child left behind are killed
	// but not listed, since a list needs a look at all processes of the system.
	Unlisted bool

	// Keep is the number of bytes of output kept in memory, half of them from the
	// beginning; 0 means 1 MiB. See [excerpt.Capture].
	Keep int
	// File, if not empty, is the absolute path of a file that is created for the output,
	// with the permissions 0600, and grows while the command runs. It must not exist, but
	// its folder must. If the file cannot be created or written, the command runs all the
	// same, see [Exit.FileErr]. A file system that hangs blocks the command, as a blocking
	// Output does.
	File string
	// MaxFile limits the bytes of output stored in File, from the beginning; 0 means no
	// limit. The cut may be inside a character.
	MaxFile int64
	// MaxOutput limits the bytes that the command prints, to stdout and stderr together.
	// When more are read, its group is killed without a grace, and its output is closed. 0
	// means 5 GB (5,000,000,000 bytes), a negative number no limit.
	MaxOutput int64
	// Output, if set, is called with each piece of output as it arrives, in order and
	// never concurrently, after the piece was written to File. It must not keep the
	// slice. While it blocks, the command cannot print and does not come to its end.
	Output func(p []byte)
	// Errors, if set, is called with each piece of stderr as Output is with those of stdout.
	// Stderr is then no part of the output that is kept or written to File, and the order of
	// pieces of the two is not known. It may be called at the same time as Output.
	Errors func(p []byte)
}

// check returns the command with its defaults filled in.
func (c Command) check() (Command, error) {
	if len(c.Args) == 0 {
		return c, errors.New("the command has no arguments, the first of which names the program")
	}
	if !filepath.IsAbs(c.Dir) {
		return c, fmt.Errorf("working directory %q is not absolute", c.Dir)
	}
	if c.File != "" && !filepath.IsAbs(c.File) {
		return c, fmt.Errorf("output file %q is not absolute", c.File)
	}
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	if c.Drain <= 0 {
		c.Drain = defaultDrain
	}
	switch {
	case c.MaxOutput == 0:
		c.MaxOutput = defaultMaxOutput
	case c.MaxOutput < 0:
		c.MaxOutput = math.MaxInt64
	}
	return c, nil
}
