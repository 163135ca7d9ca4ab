package proc

import (
	"os"
	"os/exec"
)

// pipes are the ends of the pipes of a child.
type pipes struct {
	output, input           *os.File // of this process; input is nil for the null device
	childOutput, childInput *os.File
}

func openPipes(input bool) (pipes, error) {
	var p pipes
	var err error
	if p.output, p.childOutput, err = os.Pipe(); err != nil {
		return pipes{}, err
	}
	if !input {
		return p, nil
	}
	if p.childInput, p.input, err = os.Pipe(); err != nil {
		p.closeChildEnds()
		p.closeOurEnds()
		return pipes{}, err
	}
	return p, nil
}

// connect passes files to os/exec, not readers and writers, so that it starts no
// goroutines that copy.
func (p pipes) connect(cmd *exec.Cmd) {
	cmd.Stdout, cmd.Stderr = p.childOutput, p.childOutput
	if p.childInput != nil {
		cmd.Stdin = p.childInput
	}
}

func (p pipes) closeChildEnds() { closeAll(p.childOutput, p.childInput) }

func (p pipes) closeOurEnds() { closeAll(p.output, p.input) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // an error for nil
	}
}
