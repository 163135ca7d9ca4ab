package files

// An ImageFile is an image.
type ImageFile struct {
	FilePath     string     `json:"filePath"`     // absolute
	Data         []byte     `json:"base64"`       // as shown to the model
	MIME         string     `json:"type"`         // of Data
	OriginalSize int64      `json:"originalSize"` // of the file, in bytes
	Dimensions   Dimensions `json:"dimensions"`

	note string // for the model; empty if Data is the content of the file
}

// Dimensions are the width and height of an image in pixels, after it is rotated
// upright.
type Dimensions struct {
	OriginalWidth  int `json:"originalWidth"`
	OriginalHeight int `json:"originalHeight"`
	DisplayWidth   int `json:"displayWidth"` // as shown to the model
	DisplayHeight  int `json:"displayHeight"`
}
