package proc

import (
	"os"
	"os/exec"
)

// pipes connects a child. The ends that are not ours are nil once closed.
type pipes struct {
	output, input           *os.File // ours; input is nil for the null device
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
		p.closeTheirs()
		p.closeOurs()
		return pipes{}, err
	}
	return p, nil
}

// connect sets files, not readers and writers: os/exec then has nothing to copy
// and to wait for.
func (p pipes) connect(cmd *exec.Cmd) {
	cmd.Stdout, cmd.Stderr = p.childOutput, p.childOutput
	if p.childInput != nil {
		cmd.Stdin = p.childInput
	}
}

func (p pipes) closeTheirs() { closeAll(p.childOutput, p.childInput) }

func (p pipes) closeOurs() { closeAll(p.output, p.input) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // refused for nil
	}
}
