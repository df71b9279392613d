// Imports what answers may use, so that it is compiled before the first of them comes.
package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/gin-gonic/gin"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	_ "github.com/mattn/go-sqlite3"
	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/pbkdf2"
	"golang.org/x/crypto/scrypt"
)

var used = []any{
	zip.NewReader, bufio.NewReader, bytes.NewReader, context.Background, aes.NewCipher, cipher.NewGCM, hmac.New, rand.Read, sha256.New, sql.Open,
	base64.StdEncoding, csv.NewReader, hex.EncodeToString, json.Marshal, errors.New, template.New, png.Decode, io.Copy, log.Println,
	multipart.NewReader, exec.Command, filepath.Join, regexp.Compile, gin.Default, jwt.Parse, uuid.New, argon2.IDKey, bcrypt.GenerateFromPassword, pbkdf2.Key, scrypt.Key,
}

func main() {
	fmt.Println(len(used))
	_ = http.ListenAndServe("", nil)
}
