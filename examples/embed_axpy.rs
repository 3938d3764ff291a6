//! One call of one program in Rust, by the C interface: Y = alpha * X + Y.
//!
//!     rustc --edition 2021 -O embed_axpy.rs -o embed_axpy && ./embed_axpy axpy.sdfg
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

type Handle = *mut c_void;
#[repr(C)] // sdfg_array: struct_size, data, dtype, rank, shape, strides, item_bytes, device
struct Array(usize, *mut f64, c_int, c_int, [i64; 32], *const i64, usize, [c_int; 2]);
const F64: c_int = 15;

#[link(name = "sdfg")]
extern "C" {
    fn sdfg_engine_new(out: *mut Handle, options: *const c_void) -> Handle;
    fn sdfg_program_load_file(out: *mut Handle, engine: Handle, path: *const c_char) -> Handle;
    fn sdfg_args_new(out: *mut Handle, program: Handle) -> Handle;
    fn sdfg_args_f64(args: Handle, name: *const c_char, value: f64) -> Handle;
    fn sdfg_args_array(args: Handle, name: *const c_char, array: *const Array) -> Handle;
    fn sdfg_call(program: Handle, args: Handle) -> Handle;
    fn sdfg_error_text(error: Handle) -> *const c_char;
}

fn check(error: Handle) {
    if !error.is_null() {
        panic!("{}", unsafe { CStr::from_ptr(sdfg_error_text(error)) }.to_string_lossy());
    }
}

fn main() {
    let path = CString::new(std::env::args().nth(1).unwrap_or("axpy.sdfg".into())).unwrap();
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = ((0..1000).map(f64::from).collect(), vec![1.0; 1000]);
    let (mut engine, mut program, mut args): (Handle, Handle, Handle) = (null_mut(), null_mut(), null_mut());
    unsafe {
        check(sdfg_engine_new(&mut engine, null()));
        check(sdfg_program_load_file(&mut program, engine, path.as_ptr()));
        check(sdfg_args_new(&mut args, program));
        check(sdfg_args_f64(args, b"alpha\0".as_ptr().cast(), 2.0));
        for (name, v) in [(b"X\0", &mut x), (b"Y\0", &mut y)] {
            let mut shape = [0; 32];
            shape[0] = v.len() as i64;
            let array = Array(std::mem::size_of::<Array>(), v.as_mut_ptr(), F64, 1, shape, null(), 0, [0; 2]);
            check(sdfg_args_array(args, name.as_ptr().cast(), &array));
        }
        check(sdfg_call(program, args)); // the process ends with its handles
    }
    assert_eq!(y[999], 2.0 * 999.0 + 1.0);
    println!("Y[999] = {}", y[999]);
}
