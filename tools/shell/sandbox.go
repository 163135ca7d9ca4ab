package shell

// A Sandbox keeps commands to what was decided while they run. Its methods may be called
// concurrently.
type Sandbox interface {
	// Wrap returns the program and the arguments that run c.Args inside the sandbox. After
	// an error nothing runs, and the model is told the error.
	Wrap(c SandboxCommand) (args []string, err error)
	// Refusal returns what the sandbox has refused to a command that has failed, in a few
	// words for a person and the model, or "" if it has failed for another reason.
	Refusal(c SandboxCommand, exit SandboxExit) string
}

// A SandboxExit is the end of a command that has failed.
type SandboxExit struct {
	Code   int    // -1 if a signal ended it
	Output string // the beginning and the end of its output
}
