// What the entries of this folder import, so that the loader is tried twice: for the entry and for its import.
export const double = (value: number): number => value * 2;
