// Loaded into each process that the demo starts: its input is a pipe from the demo, which the kernel closes however
// the demo ends. So nothing goes on running after it.
process.stdin.on('end', () => process.exit(1));
process.stdin.on('error', () => process.exit(1));
process.stdin.resume().unref();
