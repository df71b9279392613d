module myapp

go 1.23.4

require github.com/mattn/go-sqlite3 v1.14.24

require github.com/golang-jwt/jwt/v5 v5.2.1

require github.com/google/uuid v1.6.0

require golang.org/x/crypto v0.32.0

require golang.org/x/sys v0.29.0 // indirect
