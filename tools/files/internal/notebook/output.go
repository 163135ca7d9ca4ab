package notebook

// An Output is one output of a cell.
type Output struct {
	Kind string // stream, execute_result, display_data or error, or another kind that the file names
	Name string // of a stream: stdout or stderr

	// Text is the text of a stream, or the most readable text form of the data: plain
	// text, else Markdown, LaTeX, HTML, JSON or SVG. It may contain terminal escape
	// sequences.
	Text   string
	Images []Image  // in the order of the file
	Types  []string // MIME types of all forms of the data, in the order of the file

	Ename, Evalue string   // of an error
	Traceback     []string // of an error; often with terminal escape sequences
}

// An Image is an image in an output.
type Image struct {
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte // decoded
}
