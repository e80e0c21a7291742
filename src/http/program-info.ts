/** Name and version of the program that serves. */
export interface ProgramInfo {
  readonly name: string
  readonly version?: string
}
