package proc

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// A Command says what to run. The zero Command is refused: Args and Dir are needed.
type Command struct {
	Args []string // Args[0] is looked up as os/exec does
	Dir  string   // absolute
	Env  []string // nil means Quiet of this process's environment

	// Stdin says that the child reads what is written to [Process.Stdin]. If it
	// is false, the child reads the null device, which ends at once.
	Stdin bool

	// Grace is the time between asking the group to end and killing it; 0 means
	// 500 ms. It is cut short once the child has ended and its output is closed.
	// On Windows there is no grace.
	Grace time.Duration
	// Drain is how long the output may stay open once the child has ended;
	// 0 means 2 s.
	Drain time.Duration

	// Keep is how many bytes of output to keep in memory, half of them from the
	// beginning; 0 means 1 MiB. See [excerpt.Capture].
	Keep int
	// File, if not empty, is the absolute path of a file that is made for the
	// output, with the permissions 0600, and grows while the command runs. It
	// must not exist, its folder must. A file that cannot be made or written
	// does not hinder the command: see [Exit.FileErr]. One on a file system that
	// hangs does, as a blocking Output would.
	File string
	// MaxFile is how many bytes of output are stored in File, from the
	// beginning; 0 means all. The cut may fall inside a character.
	MaxFile int64
	// MaxOutput is how many bytes the command may print. As soon as more were
	// read, its group is killed without a grace, and its output is closed. 0
	// means 5 GB (5,000,000,000 bytes).
	MaxOutput int64
	// Output, if set, gets each piece of output as it arrives, in order and
	// never concurrently, after it went to File. It must not keep the slice.
	// While it blocks, the command cannot print and does not come to its end.
	Output func(p []byte)
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
	if c.MaxOutput <= 0 {
		c.MaxOutput = defaultMaxOutput
	}
	return c, nil
}
