//! The library against figures from outside and through its public face only.

mod kamon;
