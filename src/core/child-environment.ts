/** The environment of a child process that needs nothing of ours. Windows starts no process without `SystemRoot`. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  return SystemRoot === undefined ? {} : { SystemRoot }
}
