# docker buildx bake          builds the image for this machine
# docker buildx bake release  builds it for amd64 and arm64, with SBOM and provenance, as IMAGE:VERSION

variable "IMAGE" { default = "pawl" }
variable "VERSION" { default = "v0.1.0" }

group "default" { targets = ["local"] }

target "local" {
  context = "."
  tags    = ["pawl"]
}

target "release" {
  inherits  = ["local"]
  platforms = ["linux/amd64", "linux/arm64"]
  tags      = ["${IMAGE}:${trimprefix(VERSION, "v")}"]
  attest    = ["type=sbom", "type=provenance,mode=max"]
}
