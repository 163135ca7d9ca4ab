// Package applypatch reads patches in the dialect that models of OpenAI are trained on: file
// sections between "*** Begin Patch" and "*** End Patch". It opens no file, and its error
// texts are for the model.
package applypatch
