package files

// ImageFile is an image.
type ImageFile struct {
	FilePath     string     `json:"filePath"`     // absolute
	Data         []byte     `json:"base64"`       // as the model is shown it
	MIME         string     `json:"type"`         // of Data
	OriginalSize int64      `json:"originalSize"` // of the file, in bytes
	Dimensions   Dimensions `json:"dimensions"`

	note string // for the model; empty if Data is what the file holds
}

// Dimensions are the sizes of an image in pixels, upright as a person sees it.
type Dimensions struct {
	OriginalWidth  int `json:"originalWidth"`
	OriginalHeight int `json:"originalHeight"`
	DisplayWidth   int `json:"displayWidth"` // as the model is shown it
	DisplayHeight  int `json:"displayHeight"`
}
