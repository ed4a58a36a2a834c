# Every library the project uses; tools/install_dependencies.sh names the Debian packages.
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(SQLite3 REQUIRED)
find_package(Boost REQUIRED)
find_package(Threads REQUIRED)
# The targets of ONNX name the one of Protobuf without looking for it.
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED)

# Debian's libzip ships a CMake file that demands the zip tools; pkg-config does not.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(jpeg REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(clp REQUIRED IMPORTED_TARGET clp)
pkg_check_modules(lbfgs REQUIRED IMPORTED_TARGET liblbfgs)
pkg_check_modules(xgboost REQUIRED IMPORTED_TARGET xgboost)
pkg_check_modules(libpq REQUIRED libpq)
