package proc

import (
	"os"
	"os/exec"
)

// pipes are the ends of the pipes of a child.
type pipes struct {
	// output, errors and input are those of this process. input is nil for the null device,
	// and errors if output is stderr, too.
	output, errors, input                *os.File
	childOutput, childErrors, childInput *os.File
}

func openPipes(input, errors bool) (p pipes, err error) {
	defer func() {
		if err != nil {
			p.closeChildEnds()
			p.closeOurEnds()
		}
	}()
	if p.output, p.childOutput, err = os.Pipe(); err != nil {
		return pipes{}, err
	}
	if errors {
		if p.errors, p.childErrors, err = os.Pipe(); err != nil {
			return p, err
		}
	}
	if input {
		p.childInput, p.input, err = os.Pipe()
	}
	return p, err
}

// connect passes files to os/exec, not readers and writers, so that it starts no
// goroutines that copy.
func (p pipes) connect(cmd *exec.Cmd) {
	cmd.Stdout, cmd.Stderr = p.childOutput, p.childOutput
	if p.childErrors != nil {
		cmd.Stderr = p.childErrors
	}
	if p.childInput != nil {
		cmd.Stdin = p.childInput
	}
}

func (p pipes) closeChildEnds() { closeAll(p.childOutput, p.childErrors, p.childInput) }

func (p pipes) closeOurEnds() { closeAll(p.output, p.errors, p.input) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // an error for nil
	}
}
