package notebook

// An Output is one thing that running a cell gave.
type Output struct {
	Kind string // stream, execute_result, display_data or error; another if the file says so
	Name string // of a stream: stdout or stderr

	// Text is what the stream wrote, or the most readable text form of the data:
	// plain, else Markdown, LaTeX, HTML, JSON or SVG. It may hold terminal colours.
	Text   string
	Images []Image  // pictures of the data, in the order of the file
	Types  []string // MIME types of all forms of the data, in the order of the file

	Ename, Evalue string   // of an error
	Traceback     []string // of an error, as the file has it: often with terminal colours
}

// An Image is a picture in an output.
type Image struct {
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte // decoded
}
