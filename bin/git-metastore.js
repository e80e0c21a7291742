#!/usr/bin/env node
await import('../dist/program/main.js').then(({ main }) => main(process.argv.slice(2)))
