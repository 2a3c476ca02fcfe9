;; memchr(p, c, n) gives the address of the first byte c in [p, p+n), or 0.
;; It is internal/bytealg's, behind bytes.IndexByte and strings.IndexByte.
param p c n
local end i32  local mask i32  local want v128
  local.get p  local.get n  i32.add  local.set end
  local.get n  i32.const 16  i32.lt_u
  if
    loop next
      local.get p  local.get end  i32.ge_u
      if  i32.const 0  return  end
      local.get p  i32.load8_u 0  local.get c  i32.eq
      if  local.get p  return  end
      local.get p  i32.const 1  i32.add  local.set p
      br next
    end
  end
  local.get c  i8x16.splat  local.set want
  block near  ;; 64 bytes a turn, as long as there are so many and none is c
    loop next
      local.get end  local.get p  i32.sub  i32.const 64  i32.lt_u  br_if near
      local.get p  v128.load 0   local.get want  i8x16.eq
      local.get p  v128.load 16  local.get want  i8x16.eq  v128.or
      local.get p  v128.load 32  local.get want  i8x16.eq  v128.or
      local.get p  v128.load 48  local.get want  i8x16.eq  v128.or
      v128.any_true  br_if near
      local.get p  i32.const 64  i32.add  local.set p
      br next
    end
  end
  loop next  ;; 16 bytes a turn; the last ones end at the end, where some are looked at twice
    local.get p  local.get end  i32.ge_u
    if  i32.const 0  return  end
    local.get end  i32.const 16  i32.sub  local.tee mask
    local.get p  local.get p  local.get mask  i32.gt_u  select  local.tee p
    v128.load 0  local.get want  i8x16.eq  i8x16.bitmask  local.tee mask
    if
      local.get mask  i32.ctz  local.get p  i32.add  return
    end
    local.get p  i32.const 16  i32.add  local.set p
    br next
  end
  unreachable
