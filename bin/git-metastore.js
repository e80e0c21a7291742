#!/usr/bin/env node
await import('../dist/src/cli/main.js').then(({ main }) => main(process.argv.slice(2)))
